"""The bug of seed 001 as the article writes it: one plain object, no speed; the kernels' twin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace

from tests.behavior.naive_numbers import Random, angle_to, constrain, lerp, p5_map

TWO_PI = 2 * math.pi


def levy_step(u: float, shortest: float, longest: float, mu: float) -> float:
    return min(shortest * math.pow(u + 0.001, -1 / (mu - 1)), longest)


class World(SimpleNamespace):
    """The screen, the light and the constants, by the settings' names."""


class Bug(SimpleNamespace):
    """One bug; its fields have the product's names, its methods follow the article's."""

    gait: str
    x: float
    y: float
    interest: float
    target_x: float
    target_y: float
    target_chosen: bool
    milling_radius: float
    came_round = False

    def distance_to(self, x: float, y: float) -> float:
        return math.hypot(x - self.x, y - self.y)

    def on_light_on(self, world: World) -> None:
        self.reaction_timer = self.reaction_delay
        self.reacted = False
        self.interest = constrain(self.interest + world.onset_gain, 0, 1)

    def update_interest(self, world: World, d: float) -> None:
        if world.on and d < world.light_radius_px:
            self.interest -= self.decay_rate
        elif not world.on:
            self.interest += world.recovery_rate
        self.interest = constrain(self.interest, 0, 1)

    def update_reaction(self, world: World) -> None:
        if world.on and not self.reacted:
            self.reaction_timer -= 1
            if self.reaction_timer <= 0:
                self.reacted = True
        if not world.on:
            self.reacted = False

    def next_run(self, world: World, random: Random) -> None:
        usual = random(world.run_min_ticks, world.run_max_ticks)
        factor = world.long_run_factor if random() < world.long_run_share else 1
        self.gait, self.gait_timer = "run", math.floor(usual * factor)
        self.speed = self.base_speed * random(world.run_pace_min, world.run_pace_max)

    def next_stop(self, world: World, random: Random) -> None:
        self.gait, self.speed = "stop", 0.0
        self.gait_timer = math.floor(random(world.stop_min_ticks, world.stop_max_ticks))

    def next_short_stop(self, world: World, random: Random) -> None:
        self.next_stop(world, random)
        self.gait_timer = math.floor(random(world.attracted_stop_min_ticks, world.attracted_stop_max_ticks))

    def next_tumble(self, world: World, random: Random) -> None:
        reach = math.radians(world.tumble_reach_deg)
        self.gait = "tumble"
        self.gait_timer = math.floor(random(world.tumble_min_ticks, world.tumble_max_ticks))
        self.tumble_amount = random(-reach, reach)
        self.speed = self.base_speed * world.tumble_pace

    def change_gait(self, world: World, att: bool, random: Random) -> None:
        """The article's branches but for `else if (ins)`, which it says is never taken."""
        self.gait_timer -= 1
        if self.gait_timer > 0:
            return
        if self.gait == "run" and att:
            stops = random() < world.attracted_stop_share
            follow = self.next_short_stop if stops else self.next_run
        elif self.gait == "run":
            follow = self.next_stop if random() < world.search_stop_share else self.next_tumble
        elif self.gait == "stop" and not att:
            follow = self.next_tumble if random() < world.stop_tumble_share else self.next_run
        else:
            follow = self.next_run
        follow(world, random)

    def levy_wander(self, world: World, random: Random) -> float:
        if not self.target_chosen or self.distance_to(self.target_x, self.target_y) < world.arrived_px:
            step = levy_step(random(), world.step_min_px, world.step_max_px, self.levy_mu)
            angle = random(0, TWO_PI)
            self.target_x = self.x + math.cos(angle) * step
            self.target_y = self.y + math.sin(angle) * step
            self.target_chosen = True
        direction = math.atan2(self.target_y - self.y, self.target_x - self.x)
        return angle_to(direction, self.heading) * self.turn_rate * world.search_gain

    def compass(self, world: World) -> float:
        d = self.distance_to(world.light_x, world.light_y)
        bearing = math.atan2(world.light_y - self.y, world.light_x - self.x)
        error = angle_to(bearing - self.handedness * self.fixation_angle, self.heading)
        near, far = world.compass_near_px, world.compass_far_px
        strength = p5_map(constrain(d, near, far), near, far, world.compass_near, world.compass_far)
        return error * strength * self.turn_rate * world.compass_gain

    def light_at_antenna(self, world: World, side: int) -> float:
        """E of one antenna: `side` -1 is the left one, 1 the right one."""
        ahead_x, ahead_y = math.cos(self.heading), math.sin(self.heading)
        right_x, right_y = math.cos(self.heading + math.pi / 2), math.sin(self.heading + math.pi / 2)
        x = self.x + ahead_x * self.antenna_spread + side * right_x * self.antenna_spread * world.antenna_side
        y = self.y + ahead_y * self.antenna_spread + side * right_y * self.antenna_spread * world.antenna_side
        return 1 / (math.hypot(x - world.light_x, y - world.light_y) ** 2 + 1)

    def tropotaxis(self, world: World) -> float:
        difference = self.light_at_antenna(world, 1) - self.light_at_antenna(world, -1)
        return difference * self.tropotaxis_gain * world.antenna_gain

    def phototaxis(self, world: World) -> float:
        d = self.distance_to(world.light_x, world.light_y)
        near, far = world.antenna_near_px, world.antenna_far_px
        at_near, at_far = world.antenna_weight_near, world.antenna_weight_far
        low, high = min(at_near, at_far), max(at_near, at_far)
        weight = constrain(p5_map(d, near, far, at_near, at_far), low, high)
        return self.compass(world) * (1 - weight) + self.tropotaxis(world) * weight

    def choose_orbit(self, world: World, random: Random) -> None:
        u1, u2 = random(0.001, 1), random(0.001, 1)
        z = math.sqrt(-2 * math.log(u1)) * math.cos(TWO_PI * u2)
        radius = world.light_radius_px
        wish = (world.orbit_mean + z * world.orbit_deviation) * radius
        self.orbit_radius = constrain(wish, radius * world.orbit_min, radius * world.orbit_max)
        self.orbit_chosen = True

    def milling(self, world: World, random: Random) -> float:
        self.milling_angle += self.milling_direction * self.milling_speed
        if random() < world.change_of_mind:
            self.milling_direction *= -1
        if not self.orbit_chosen or random() < world.change_of_mind:
            self.choose_orbit(world, random)
        self.milling_radius = lerp(self.milling_radius, self.orbit_radius, world.orbit_ease)
        x = world.light_x + math.cos(self.milling_angle) * self.milling_radius
        y = world.light_y + math.sin(self.milling_angle) * self.milling_radius
        direction = math.atan2(y - self.y, x - self.x)
        return angle_to(direction, self.heading) * self.turn_rate * world.milling_gain

    def separate(self, world: World, everyone: Sequence[Bug]) -> float:
        push_x, push_y, near = 0.0, 0.0, 0
        space = self.base_size * world.personal_space
        for other in everyone:
            d = math.hypot(self.x - other.x, self.y - other.y)
            if other is not self and 0 < d < space:
                push_x += (self.x - other.x) / d / d
                push_y += (self.y - other.y) / d / d
                near += 1
        if near == 0:
            return 0.0
        direction = math.atan2(push_y / near, push_x / near)
        return angle_to(direction, self.heading) * world.separation_gain

    def run(self, world: World, random: Random, aw: bool, att: bool, ins: bool) -> float:
        """The steering of a running bug, before separation and noise; sets its speed."""
        d = self.distance_to(world.light_x, world.light_y)
        lr, dr = world.light_radius_px, world.light_radius_px * self.detection_multiple
        if ins:
            steer = self.milling(world, random)
            self.speed = self.base_speed * random(world.milling_pace_min, world.milling_pace_max)
        elif att:
            steer = self.phototaxis(world)
            self.speed = self.base_speed * self.approach_multiple * p5_map(d, lr, dr, 1, world.edge_pace)
            self.speed *= random(world.approach_pace_min, world.approach_pace_max)
        elif aw and self.interest <= world.boredom_threshold:
            if d < dr:
                noise = random(-world.avoid_noise_rad, world.avoid_noise_rad)
                steer = -self.phototaxis(world) * world.avoid_gain + noise
            else:
                steer = self.levy_wander(world, random)
            self.speed = self.base_speed * random(world.avoid_pace_min, world.avoid_pace_max)
        else:
            steer = self.levy_wander(world, random)
        return steer

    def move(self, world: World, steer: float, noise: float) -> None:
        limit = self.turn_rate * world.turn_limit
        self.heading += constrain(steer, -limit, limit)
        slower = p5_map(noise, 0, 1, world.pace_slowest, world.pace_fastest)
        self.x += math.cos(self.heading) * self.speed * slower
        self.y += math.sin(self.heading) * self.speed * slower
        before, b = (self.x, self.y), self.base_size
        if self.x < -b:
            self.x = world.width + b
        if self.x > world.width + b:
            self.x = -b
        if self.y < -b:
            self.y = world.height + b
        if self.y > world.height + b:
            self.y = -b
        self.came_round = (self.x, self.y) != before

    def update(self, world: World, everyone: Sequence[Bug], random: Random, noise: float) -> None:
        d = self.distance_to(world.light_x, world.light_y)
        self.update_interest(world, d)
        self.update_reaction(world)
        aw = bool(world.on and self.reacted)
        interested = self.interest > world.boredom_threshold
        att = aw and interested and d < world.light_radius_px * self.detection_multiple
        ins = aw and interested and d < world.light_radius_px
        self.change_gait(world, att, random)
        steer = 0.0
        if self.gait == "tumble":
            steer = self.tumble_amount / world.tumble_spread_ticks
        elif self.gait == "run":
            steer = self.run(world, random, aw, att, ins)
            steer += self.separate(world, everyone)
            steer += random(-world.steering_noise_rad, world.steering_noise_rad)
        self.move(world, steer, noise)

    def grow_phases(self, world: World) -> None:
        """What drawing the bug adds; unlike the product's phases, these grow without end."""
        self.tremor_phase += self.tremor_frequency
        self.leg_phase += self.speed * world.leg_rate
