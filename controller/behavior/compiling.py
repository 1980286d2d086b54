"""How rules are compiled: kept on disk, sums regrouped and fused where that is faster, NaN left as it is."""

import numba as nb

# Without nnan and ninf: with them a NaN would pass every check.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
# Inlined, for a call hands each array over as seven numbers; and without counting references, which
# takes a third of a tick and which nothing needs: no rule makes an array.
rule = nb.njit(  # type: ignore[call-overload]
    cache=True, nogil=True, error_model="numpy", fastmath=FASTMATH, forceinline=True, _nrt=False
)
