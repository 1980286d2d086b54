/* The numbers of swarm.c: random ones, angles, polynomials, smooth noise; as in controller/behavior.
 *
 * The polynomials are summed in pairs, so that one product need not wait for the one before.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RULE static inline __attribute__((always_inline))
#define PI 3.14159265358979323846
#define TWO_PI (2.0 * PI)
#define HALF_PI (0.5 * PI)
#define DEGREE (PI / 180.0)
#define GOLDEN 0x9E3779B97F4A7C15u

enum { PERIOD = 4096, OCTAVES = 4 };

/* Where a bug's next number comes from; kept apart from the record so that it can stay in registers. */
struct stream {
    uint64_t key;
    int64_t spent, given;
    const double *tape;
};

RULE double least(double a, double b) { return a < b ? a : b; }
RULE double most(double a, double b) { return a > b ? a : b; }
RULE double clamped(double value, double low, double high) { return least(most(value, low), high); }
RULE double wrapped(double angle) { return angle - TWO_PI * floor(angle * (1.0 / TWO_PI) + 0.5); }

RULE double mapped(double value, double from_low, double from_high, double to_low, double to_high) {
    return to_low + (to_high - to_low) * (value - from_low) / (from_high - from_low);
}

RULE uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

RULE uint64_t tick_key(uint64_t seed, uint64_t tick) { return mixed(mixed(seed) + tick * GOLDEN); }
RULE uint64_t agent_key(uint64_t key, uint64_t agent) { return mixed(key + agent * GOLDEN); }

RULE double uniform(struct stream *draws) {
    const int64_t k = draws->spent++;
    if (__builtin_expect(k < draws->given, 0)) return draws->tape[k];
    return (double)(int64_t)(mixed(draws->key + (uint64_t)k * GOLDEN) >> 11) * 0x1p-53;
}

RULE double between(double low, double high, struct stream *draws) {
    return low + uniform(draws) * (high - low);
}

/* Choices without a branch: chance decides, so that the processor would guess wrong half the time. */
RULE uint64_t bits(double value) {
    uint64_t found;
    memcpy(&found, &value, sizeof found);
    return found;
}

RULE double of_bits(uint64_t found) {
    double value;
    memcpy(&value, &found, sizeof value);
    return value;
}

RULE double picked(bool first, double a, double b) {
    const uint64_t mask = -(uint64_t)first;
    return of_bits((bits(a) & mask) | (bits(b) & ~mask));
}

RULE double negated(bool when, double value) { return of_bits(bits(value) ^ (uint64_t)when << 63); }

RULE void sine_cosine(double angle, double *sine, double *cosine) {
    const double quarter = floor(angle * (1.0 / HALF_PI) + 0.5);
    const double r = (angle - quarter * HALF_PI) - quarter * 6.123233995736766e-17;
    const double z = r * r;
    const double z2 = z * z, z4 = z2 * z2;
    const double o0 = -1.0 / 6.0 + z * (1.0 / 120.0);
    const double o1 = -1.0 / 5040.0 + z * (1.0 / 362880.0);
    const double o2 = -1.0 / 39916800.0 + z * (1.0 / 6227020800.0);
    const double odd = r + (r * z) * ((o0 + z2 * o1) + z4 * (o2 - z2 * (1.0 / 1307674368000.0)));
    const double e0 = -0.5 + z * (1.0 / 24.0);
    const double e1 = -1.0 / 720.0 + z * (1.0 / 40320.0);
    const double e2 = -1.0 / 3628800.0 + z * (1.0 / 479001600.0);
    const double e3 = -1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0);
    const double even = 1.0 + z * ((e0 + z2 * e1) + z4 * (e2 + z2 * e3));
    const uint64_t turn = (uint64_t)(int64_t)quarter;
    const uint64_t swap = (bits(odd) ^ bits(even)) & -(turn & 1);
    *sine = of_bits((bits(odd) ^ swap) ^ (turn & 2) << 62);
    *cosine = of_bits((bits(even) ^ swap) ^ ((turn + 1) & 2) << 62);
}

RULE double arctangent(double y, double x) {
    const double ay = fabs(y), ax = fabs(x);
    const double low = least(ay, ax), high = most(ay, ax);
    const bool steep = low > 0.41421356237309504880 * high;
    const double t = (low - picked(steep, high, 0.0)) / (high + picked(steep, low, 0.0) + 1e-300);
    const double z = t * t;
    const double z2 = z * z, z4 = z2 * z2;
    const double a0 = -0.333333333333287167 + z * 0.199999999989084386;
    const double a1 = -0.142857141849451387 + z * 0.111111063304966478;
    const double a2 = -0.0909077633385655567 + z * 0.0768999660145443602;
    const double a3 = -0.0664058684866746863 + z * 0.0569009560834069775;
    const double a4 = -0.0435283723830908033 + z * 0.0211911002117541365;
    const double p = (a0 + z2 * a1) + z4 * ((a2 + z2 * a3) + z4 * a4);
    double angle = t + t * (z * p) + picked(steep, 0.25 * PI, 0.0);
    angle = picked(ay > ax, HALF_PI, 0.0) + negated(ay > ax, angle);
    angle = picked(x < 0.0, PI, 0.0) + negated(x < 0.0, angle);
    return negated(y < 0.0, angle);
}

RULE double smooth_noise(double at, const double *restrict levels) {
    double total = 0.0, weight = 0.5, sine, cosine;
    const int64_t eighth = (int64_t)(at * (1 << (OCTAVES - 1)));
    sine_cosine((at - (double)(int64_t)at) * PI, &sine, &cosine);
    for (int octave = 0; octave < OCTAVES; octave++) {
        const int64_t cell = eighth >> (OCTAVES - 1 - octave);
        if (octave > 0) {
            cosine = 2.0 * cosine * cosine - 1.0;
            cosine = negated(cell & 1, cosine);
        }
        const double low = levels[cell & (PERIOD - 1)], high = levels[(cell + 1) & (PERIOD - 1)];
        total += weight * (low + (0.5 - 0.5 * cosine) * (high - low));
        weight *= 0.5;
    }
    return total;
}
