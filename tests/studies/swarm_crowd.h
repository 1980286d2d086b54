/* The neighbours in swarm.c: the grid, and the turn away from those near; as neighbours.py and separation.py.
 *
 * A crowd is gone through several bugs at a time: eight where the processor can leave out those beyond the
 * end of a row (AVX-512), else two and the odd one.
 */
#pragma once

#include "records.h"
#include "swarm_numbers.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

struct push {
    double x, y, near;
};

struct grid {
    int32_t *starts, *cells, *places;
    double *xs, *ys;
};

RULE int32_t cell_along(double position, double margin, double per_px, int64_t count) {
    const double scaled = (position + margin) * per_px;
    if (!(scaled > 0.0)) return 0;
    return scaled >= (double)count ? (int32_t)count - 1 : (int32_t)scaled;
}

RULE void fill_grid(const struct bug *restrict bugs, int64_t count, const struct world *restrict world,
                    int64_t starts_size, struct grid grid) {
    int32_t *restrict starts = grid.starts, *restrict cells = grid.cells, *restrict places = grid.places;
    double *restrict xs = grid.xs, *restrict ys = grid.ys;
    const double margin = world->margin_px, per_px = 1.0 / world->cell_px;
    const int32_t columns = (int32_t)world->columns;
    memset(starts, 0, (size_t)starts_size * sizeof *starts);
    for (int64_t i = 0; i < count; i++) {
        const int32_t column = cell_along(bugs[i].x, margin, per_px, columns);
        const int32_t row = cell_along(bugs[i].y, margin, per_px, world->rows);
        const int32_t cell = (row + 1) * (columns + 2) + column + 1;
        cells[i] = cell;
        starts[cell + 2]++;
    }
    int32_t total = 0;
    for (int64_t cell = 0; cell < starts_size; cell++) starts[cell] = total += starts[cell];
    for (int64_t i = 0; i < count; i++) {
        const int32_t place = starts[cells[i] + 1]++;
        places[i] = place;
        xs[place] = bugs[i].x;
        ys[place] = bugs[i].y;
    }
}

#ifdef __AVX512F__

RULE struct push crowd_push(double x, double y, double reach_squared, const int32_t *middle, int64_t stride,
                            const double *restrict xs, const double *restrict ys) {
    const __m512d none = _mm512_setzero_pd(), one = _mm512_set1_pd(1.0);
    const __m512d our_x = _mm512_set1_pd(x), our_y = _mm512_set1_pd(y), reach = _mm512_set1_pd(reach_squared);
    __m512d push_x = none, push_y = none;
    int near = 0;
    for (int row = -1; row < 2; row++) {
        const int32_t first = middle[row * stride - 1], last = middle[row * stride + 2];
        for (int32_t k = first; k < last; k += 8) {
            const __mmask8 there = last - k >= 8 ? 0xff : (__mmask8)((1 << (last - k)) - 1);
            const __m512d dx = _mm512_sub_pd(our_x, _mm512_maskz_loadu_pd(there, xs + k));
            const __m512d dy = _mm512_sub_pd(our_y, _mm512_maskz_loadu_pd(there, ys + k));
            const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_mul_pd(dy, dy));
            const __mmask8 within = _mm512_mask_cmp_pd_mask(there, squared, reach, _CMP_LT_OQ);
            const __mmask8 close = _mm512_mask_cmp_pd_mask(within, squared, none, _CMP_GT_OQ);
            const __m512d share = _mm512_maskz_div_pd(close, one, squared);
            push_x = _mm512_fmadd_pd(dx, share, push_x);
            push_y = _mm512_fmadd_pd(dy, share, push_y);
            near += __builtin_popcount(close);
        }
    }
    return (struct push){_mm512_reduce_add_pd(push_x), _mm512_reduce_add_pd(push_y), near};
}

#else

typedef double two __attribute__((vector_size(16)));
typedef int64_t two_masks __attribute__((vector_size(16)));

RULE void add_push(two dx, two dy, two reach_squared, two *push_x, two *push_y, two *near) {
    const two one = {1.0, 1.0}, squared = dx * dx + dy * dy;
    const two_masks close = (squared > 0.0) & (squared < reach_squared);
    const two counted = (two)((two_masks)one & close);
    const two share = counted / (two)(((two_masks)squared & close) | ((two_masks)one & ~close));
    *push_x += dx * share;
    *push_y += dy * share;
    *near += counted;
}

RULE struct push crowd_push(double x, double y, double reach_squared, const int32_t *middle, int64_t stride,
                            const double *restrict xs, const double *restrict ys) {
    const two reach = {reach_squared, reach_squared};
    two push_x = {0.0}, push_y = {0.0}, near = {0.0};
    for (int row = -1; row < 2; row++) {
        const int32_t last = middle[row * stride + 2];
        int32_t k = middle[row * stride - 1];
        for (; k + 2 <= last; k += 2) {
            const two dx = {x - xs[k], x - xs[k + 1]}, dy = {y - ys[k], y - ys[k + 1]};
            add_push(dx, dy, reach, &push_x, &push_y, &near);
        }
        if (k < last) add_push((two){x - xs[k]}, (two){y - ys[k]}, reach, &push_x, &push_y, &near);
    }
    return (struct push){push_x[0] + push_x[1], push_y[0] + push_y[1], near[0] + near[1]};
}

#endif

RULE double separation_turn(const struct bug *bug, const struct world *world, int32_t cell,
                            struct grid grid) {
    const double reach = bug->base_size * world->personal_space;
    const struct push push = crowd_push(bug->x, bug->y, reach * reach, grid.starts + cell, world->columns + 2,
                                        grid.xs, grid.ys);
    if (push.near == 0.0) return 0.0;
    return wrapped(arctangent(push.y, push.x) - bug->heading) * world->separation_gain;
}
