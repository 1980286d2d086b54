/* One tick of all bugs by hand in C, as fast as it goes: the compiled kernel's speed is held against it.
 *
 * The same rules in the same order as kernel.py, over the same arrays: `records.h`, made from the program's
 * own record types, declares struct bug, world, visit and draws. Bugs move one after another, so a tick
 * cannot be split among lanes or threads; the crowd around one bug can. All but the last function is static:
 * a library's names may otherwise be taken by others, as `step` is by an old one of the C library.
 */
#include "records.h"
#include "swarm_crowd.h"
#include "swarm_numbers.h"

#define SELDOM static __attribute__((noinline, cold))

enum { RUN, STOP, TUMBLE };
#define HATCHING 0xBA17EDu
#define BEYOND 1e9

/* Gait */

RULE void start_run(struct bug *bug, const struct world *world, struct stream *draws) {
    double duration = between(world->run_min_ticks, world->run_max_ticks, draws);
    if (uniform(draws) < world->long_run_share) duration *= world->long_run_factor;
    bug->gait = RUN;
    bug->gait_timer = (int32_t)floor(duration);
    bug->speed = bug->base_speed * between(world->run_pace_min, world->run_pace_max, draws);
}

RULE void start_stop(struct bug *bug, const struct world *world, struct stream *draws) {
    bug->gait = STOP;
    bug->gait_timer = (int32_t)floor(between(world->stop_min_ticks, world->stop_max_ticks, draws));
    bug->speed = 0.0;
}

RULE void start_tumble(struct bug *bug, const struct world *world, struct stream *draws) {
    const double reach = world->tumble_reach_deg * DEGREE;
    bug->gait = TUMBLE;
    bug->gait_timer = (int32_t)floor(between(world->tumble_min_ticks, world->tumble_max_ticks, draws));
    bug->tumble_amount = between(-reach, reach, draws);
    bug->speed = bug->base_speed * world->tumble_pace;
}

RULE void next_gait(struct bug *bug, const struct world *world, bool attracted, struct stream *draws) {
    if (bug->gait == TUMBLE) {
        start_run(bug, world, draws);
    } else if (bug->gait == STOP) {
        if (attracted || uniform(draws) >= world->stop_tumble_share) start_run(bug, world, draws);
        else start_tumble(bug, world, draws);
    } else if (!attracted) {
        if (uniform(draws) < world->search_stop_share) start_stop(bug, world, draws);
        else start_tumble(bug, world, draws);
    } else if (uniform(draws) < world->attracted_stop_share) {
        start_stop(bug, world, draws);
        bug->gait_timer =
            (int32_t)floor(between(world->attracted_stop_min_ticks, world->attracted_stop_max_ticks, draws));
    } else {
        start_run(bug, world, draws);
    }
}

/* Steering */

RULE double wander_turn(struct bug *bug, const struct world *world, struct stream *draws) {
    double to_x = bug->target_x - bug->x, to_y = bug->target_y - bug->y;
    if (!bug->target_chosen || to_x * to_x + to_y * to_y < world->arrived_px * world->arrived_px) {
        const double u = uniform(draws);
        const double wish = world->step_min_px * pow(u + 0.001, -1.0 / (bug->levy_mu - 1.0));
        const double step = least(wish, world->step_max_px);
        double sine, cosine;
        sine_cosine(between(0.0, TWO_PI, draws), &sine, &cosine);
        bug->target_x = bug->x + cosine * step;
        bug->target_y = bug->y + sine * step;
        bug->target_chosen = 1;
        to_x = bug->target_x - bug->x;
        to_y = bug->target_y - bug->y;
    }
    return wrapped(arctangent(to_y, to_x) - bug->heading) * bug->turn_rate * world->search_gain;
}

RULE double compass_turn(const struct bug *bug, const struct world *world, double distance) {
    const double bearing = arctangent(world->light_y - bug->y, world->light_x - bug->x);
    const double error = wrapped(bearing - bug->handedness * bug->fixation_angle - bug->heading);
    const double near = world->compass_near_px, far = world->compass_far_px;
    const double strength =
        mapped(clamped(distance, near, far), near, far, world->compass_near, world->compass_far);
    return error * strength * bug->turn_rate * world->compass_gain;
}

RULE double antenna_turn(const struct bug *bug, const struct world *world) {
    double forward_x, forward_y;
    sine_cosine(bug->heading, &forward_y, &forward_x);
    const double tip_x = bug->x + forward_x * bug->antenna_spread - world->light_x;
    const double tip_y = bug->y + forward_y * bug->antenna_spread - world->light_y;
    const double side_x = -forward_y * bug->antenna_spread * world->antenna_side;
    const double side_y = forward_x * bug->antenna_spread * world->antenna_side;
    const double left = (tip_x - side_x) * (tip_x - side_x) + (tip_y - side_y) * (tip_y - side_y) + 1.0;
    const double right = (tip_x + side_x) * (tip_x + side_x) + (tip_y + side_y) * (tip_y + side_y) + 1.0;
    return (1.0 / right - 1.0 / left) * bug->tropotaxis_gain * world->antenna_gain;
}

RULE double phototaxis_turn(const struct bug *bug, const struct world *world, double distance) {
    const double near = world->antenna_near_px, far = world->antenna_far_px;
    const double weight = mapped(clamped(distance, near, far), near, far, world->antenna_weight_near,
                                 world->antenna_weight_far);
    return compass_turn(bug, world, distance) * (1.0 - weight) + antenna_turn(bug, world) * weight;
}

RULE double avoid_or_wander(struct bug *bug, const struct world *world, double distance, double reach,
                            struct stream *draws) {
    double turn;
    if (distance < reach) {
        const double noise = world->avoid_noise_rad;
        turn = -phototaxis_turn(bug, world, distance) * world->avoid_gain + between(-noise, noise, draws);
    } else {
        turn = wander_turn(bug, world, draws);
    }
    bug->speed = bug->base_speed * between(world->avoid_pace_min, world->avoid_pace_max, draws);
    return turn;
}

RULE double approach(struct bug *bug, const struct world *world, double distance, double reach,
                     struct stream *draws) {
    const double turn = phototaxis_turn(bug, world, distance);
    const double nearness = mapped(distance, world->light_radius_px, reach, 1.0, world->edge_pace);
    bug->speed = bug->base_speed * (bug->approach_multiple * nearness *
                                    between(world->approach_pace_min, world->approach_pace_max, draws));
    return turn;
}

RULE void choose_orbit(struct bug *bug, const struct world *world, struct stream *draws) {
    const double u1 = between(0.001, 1.0, draws), u2 = between(0.001, 1.0, draws);
    const double z = sqrt(-2.0 * log(u1)) * cos(TWO_PI * u2);
    bug->orbit_radius = clamped(world->orbit_mean + z * world->orbit_deviation, world->orbit_min,
                                world->orbit_max) * world->light_radius_px;
    bug->orbit_chosen = 1;
}

RULE double mill(struct bug *bug, const struct world *world, struct stream *draws) {
    const double angle = wrapped(bug->milling_angle + bug->milling_direction * bug->milling_speed);
    bug->milling_angle = angle;
    if (uniform(draws) < world->change_of_mind) bug->milling_direction = -bug->milling_direction;
    if (!bug->orbit_chosen || uniform(draws) < world->change_of_mind) choose_orbit(bug, world, draws);
    const double radius = bug->milling_radius + (bug->orbit_radius - bug->milling_radius) * world->orbit_ease;
    bug->milling_radius = radius;
    double sine, cosine;
    sine_cosine(angle, &sine, &cosine);
    const double to_x = world->light_x + cosine * radius - bug->x;
    const double to_y = world->light_y + sine * radius - bug->y;
    const double turn =
        wrapped(arctangent(to_y, to_x) - bug->heading) * bug->turn_rate * world->milling_gain;
    bug->speed = bug->base_speed * between(world->milling_pace_min, world->milling_pace_max, draws);
    return turn;
}

RULE double running_turn(struct bug *bug, const struct world *world, double distance, double reach,
                         struct stream *draws) {
    if (!(world->on && bug->reacted)) return wander_turn(bug, world, draws);
    if (bug->interest <= world->boredom_threshold) return avoid_or_wander(bug, world, distance, reach, draws);
    if (distance < world->light_radius_px) return mill(bug, world, draws);
    if (distance < reach) return approach(bug, world, distance, reach, draws);
    return wander_turn(bug, world, draws);
}

RULE double chosen_turn(struct bug *bug, const struct world *world, double distance, int32_t cell,
                        struct grid grid, struct stream *draws) {
    const double reach = world->light_radius_px * bug->detection_multiple;
    if (!world->on) bug->reacted = 0;
    else if (!bug->reacted && --bug->reaction_timer <= 0) bug->reacted = 1;
    if (--bug->gait_timer <= 0) {
        const bool interested = bug->interest > world->boredom_threshold;
        next_gait(bug, world, world->on && bug->reacted && interested && distance < reach, draws);
    }
    if (bug->gait == TUMBLE) return bug->tumble_amount / world->tumble_spread_ticks;
    if (bug->gait != RUN) return 0.0;
    const double turn = running_turn(bug, world, distance, reach, draws);
    const double noise = world->steering_noise_rad;
    return turn + separation_turn(bug, world, cell, grid) + between(-noise, noise, draws);
}

/* Moving */

RULE double wrapped_edge(double position, double size, double margin) {
    if (position < -margin) return size + margin;
    if (position > size + margin) return -margin;
    return position;
}

RULE double grown(double phase, double by, double period) {
    phase += by;
    return phase >= period ? fmod(phase, period) : phase;
}

RULE void move(struct bug *bug, const struct world *world, double turn, double noise) {
    const double limit = bug->turn_rate * world->turn_limit;
    const double heading = wrapped(bug->heading + clamped(turn, -limit, limit));
    bug->heading = heading;
    const double factor = world->pace_slowest + noise * (world->pace_fastest - world->pace_slowest);
    const double pace = bug->speed * factor;
    double sine, cosine;
    sine_cosine(heading, &sine, &cosine);
    bug->x = wrapped_edge(bug->x + cosine * pace, world->width, bug->base_size);
    bug->y = wrapped_edge(bug->y + sine * pace, world->height, bug->base_size);
}

/* A bug made anew, as bugs.py makes it */

RULE void draw_character(struct bug *bug, const struct world *world, struct stream *draws) {
    bug->base_speed = between(world->speed_min_px, world->speed_max_px, draws);
    bug->turn_rate = between(world->turn_rate_min, world->turn_rate_max, draws);
    bug->fixation_angle = between(world->fixation_min_deg, world->fixation_max_deg, draws) * DEGREE;
    bug->handedness = uniform(draws) > 1.0 - world->right_handed_share ? 1 : -1;
    bug->antenna_spread = between(world->antenna_min_px, world->antenna_max_px, draws);
    bug->tropotaxis_gain = between(world->tropotaxis_min, world->tropotaxis_max, draws);
    bug->detection_multiple = between(world->detection_min, world->detection_max, draws);
    bug->reaction_delay = (int32_t)floor(between(0.0, world->reaction_delay_max_ticks, draws));
    bug->decay_rate = between(world->decay_min, world->decay_max, draws);
    bug->levy_mu = between(world->levy_mu_min, world->levy_mu_max, draws);
    bug->milling_speed = between(world->milling_speed_min, world->milling_speed_max, draws);
    bug->base_size = between(world->size_min_px, world->size_max_px, draws);
    bug->tremor_frequency = between(world->tremor_min, world->tremor_max, draws);
    if (uniform(draws) < world->eager_share)
        bug->approach_multiple = between(world->eager_min, world->eager_max, draws);
    else if (uniform(draws) > 1.0 - world->sluggish_share)
        bug->approach_multiple = between(world->sluggish_min, world->sluggish_max, draws);
    else
        bug->approach_multiple = between(world->usual_min, world->usual_max, draws);
}

SELDOM int64_t put_in(struct bug *bug, const struct world *world, uint64_t seed, struct draws *given) {
    const uint64_t key = agent_key(tick_key(seed ^ HATCHING, 0), (uint64_t)bug->number);
    struct stream stream = {key, 0, given->given, given->tape}, *draws = &stream;
    draw_character(bug, world, draws);
    bug->x = between(0.0, world->width, draws);
    bug->y = between(0.0, world->height, draws);
    bug->heading = between(-PI, PI, draws);
    bug->tremor_phase = between(0.0, TWO_PI, draws);
    bug->leg_phase = between(0.0, TWO_PI, draws);
    bug->milling_angle = between(-PI, PI, draws);
    bug->noise_phase = world->noise_per_tremor * bug->tremor_phase + world->noise_rate;
    bug->interest = 1.0;
    bug->milling_direction = bug->handedness;
    bug->milling_radius = bug->orbit_radius = bug->tumble_amount = bug->target_x = bug->target_y = 0.0;
    bug->reacted = bug->target_chosen = bug->orbit_chosen = bug->reaction_timer = 0;
    bug->reached_at_ticks = bug->bored_at_ticks = -1;
    start_run(bug, world, draws);
    return draws->spent;
}

RULE bool astray(const struct bug *bug) {
    const double place = (bug->x + bug->y) + (bug->target_x + bug->target_y);
    const double way = (bug->heading + bug->speed) + (bug->milling_angle + bug->tumble_amount);
    const double orbit = (bug->milling_radius + bug->orbit_radius) + bug->interest;
    const double phases = (bug->tremor_phase + bug->leg_phase) + bug->noise_phase;
    const double found = (place + way) + (orbit + phases);
    return !(found > -BEYOND && found < BEYOND);
}

/* The tick */

/* Returns the interest before the tick's habituation or recovery. */
RULE double update_interest(struct bug *bug, const struct world *world, bool just_on, double distance) {
    if (just_on) {
        bug->reaction_timer = bug->reaction_delay;
        bug->reacted = 0;
        bug->interest = clamped(bug->interest + world->onset_gain, 0.0, 1.0);
    }
    const double before = bug->interest;
    if (!world->on) bug->interest = clamped(before + world->recovery_rate, 0.0, 1.0);
    else if (distance < world->light_radius_px) bug->interest = clamped(before - bug->decay_rate, 0.0, 1.0);
    return before;
}

RULE void note_in_visit(struct bug *bug, const struct world *world, struct visit *visit, double distance,
                        double interest_before) {
    if (!(world->on && distance < world->light_radius_px)) return;
    visit->inside++;
    if (bug->reached_at_ticks < 0 && bug->reacted && bug->interest > world->boredom_threshold)
        bug->reached_at_ticks = (int32_t)visit->ticks;
    if (bug->bored_at_ticks < 0 && bug->interest <= world->boredom_threshold &&
        world->boredom_threshold < interest_before)
        bug->bored_at_ticks = (int32_t)visit->ticks;
}

RULE void close_tick(int64_t count, const struct world *world, struct visit *visit) {
    if (world->on && count) {
        visit->lit_ticks++;
        visit->exposure_ticks += visit->inside;
        if (visit->inside > visit->peak_inside) visit->peak_inside = visit->inside;
    }
    visit->inside = 0;
    visit->ticks++;
}

void swarm_tick(struct bug *restrict bugs, int64_t count, struct world *restrict world,
                struct visit *restrict visit, struct draws *restrict given, int64_t just_on, uint64_t seed,
                uint64_t tick, int32_t *restrict starts, int64_t starts_size, int32_t *restrict cells,
                int32_t *restrict places, double *restrict xs, double *restrict ys,
                const double *restrict levels) {
    const struct grid grid = {starts, cells, places, xs, ys};
    fill_grid(bugs, count, world, starts_size, grid);
    const uint64_t key = tick_key(seed, tick);
    for (int64_t i = 0; i < count; i++) {
        struct bug *bug = &bugs[i];
        struct stream draws = {agent_key(key, (uint64_t)bug->number), 0, given->given, given->tape};
        const double dx = world->light_x - bug->x, dy = world->light_y - bug->y;
        const double distance = sqrt(dx * dx + dy * dy);
        const double interest_before = update_interest(bug, world, just_on, distance);
        const double turn = chosen_turn(bug, world, distance, cells[i], grid, &draws);
        double noise = given->noise;
        if (__builtin_expect(!(noise >= 0.0), 1)) noise = smooth_noise(bug->noise_phase, levels);
        move(bug, world, turn, noise);
        bug->noise_phase = grown(bug->noise_phase,
                                 world->noise_per_tremor * bug->tremor_frequency + world->noise_rate, PERIOD);
        bug->tremor_phase = grown(bug->tremor_phase, bug->tremor_frequency, TWO_PI);
        bug->leg_phase = grown(bug->leg_phase, bug->speed * world->leg_rate, TWO_PI);
        if (__builtin_expect(astray(bug), 0)) {
            draws.spent = put_in(bug, world, seed, given);
            visit->put_back++;
        }
        note_in_visit(bug, world, visit, distance, interest_before);
        xs[places[i]] = bug->x;
        ys[places[i]] = bug->y;
        if (i == 0) {
            given->given = 0;
            given->used = draws.spent;
            given->noise = NAN;
        }
    }
    world->pulse_phase = grown(world->pulse_phase, world->pulse_rate, TWO_PI);
    close_tick(count, world, visit);
}
