#version 330 core
// Three radial gradients over each other: glow (1.8 R), beam (R), hot spot (0.3 R).
// Colour and alpha are mixed separately (not premultiplied), so each one darkens towards its rim.
in vec2 from_centre;
uniform vec4 beam;
out vec4 result;

vec4 stop(float r, float g, float b, float a) { return vec4(vec3(r, g, b) / 255.0, a); }

vec4 between(vec4 inner, float from, vec4 outer, float to, float t) {
    return mix(inner, outer, clamp((t - from) / (to - from), 0.0, 1.0));
}

vec4 glow(float t) {
    vec4 half_way = stop(255.0, 255.0, 235.0, 0.03);
    if (t < 0.5) return between(stop(255.0, 255.0, 240.0, 0.06), 0.0, half_way, 0.5, t);
    return between(half_way, 0.5, vec4(0.0), 1.0, t);
}

vec4 main_beam(float t) {
    vec4 b = stop(255.0, 255.0, 240.0, 0.14);
    vec4 c = stop(255.0, 255.0, 235.0, 0.08);
    vec4 d = stop(255.0, 250.0, 230.0, 0.03);
    if (t < 0.15) return between(stop(255.0, 255.0, 245.0, 0.18), 0.0, b, 0.15, t);
    if (t < 0.4) return between(b, 0.15, c, 0.4, t);
    if (t < 0.7) return between(c, 0.4, d, 0.7, t);
    return between(d, 0.7, vec4(0.0), 1.0, t);
}

vec4 hot_spot(float t) {
    vec4 half_way = stop(255.0, 255.0, 245.0, 0.08);
    if (t < 0.5) return between(stop(255.0, 255.0, 250.0, 0.22), 0.0, half_way, 0.5, t);
    return between(half_way, 0.5, vec4(0.0), 1.0, t);
}

// Source-over with a premultiplied ground.
vec4 over(vec4 top, vec4 ground) {
    float a = top.a * beam.w;
    return vec4(top.rgb * a, a) + ground * (1.0 - a);
}

void main() {
    float r = length(from_centre);
    result = over(hot_spot(r / 0.3), over(main_beam(r), over(glow(r / 1.8), vec4(0.0))));
}
