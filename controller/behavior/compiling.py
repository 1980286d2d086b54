"""How rules are compiled: kept on disk, sums regrouped and fused where that is faster, NaN left as it is."""

import numba as nb

# Without nnan and ninf: with them a NaN would pass every check.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
rule = nb.njit(cache=True, nogil=True, error_model="numpy", fastmath=FASTMATH)
