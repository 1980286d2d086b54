#version 330 core
// One quad a disc of dust.
layout(location = 0) in vec4 disc;       // x px, y px, diameter px, alpha
uniform vec3 view;                       // framebuffer px, picture px per framebuffer px
out vec2 from_centre_px;
flat out float radius_px;
flat out float disc_alpha;

void main() {
    radius_px = 0.5 * disc.z / view.z;
    disc_alpha = disc.w;
    from_centre_px = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (radius_px + 1.0);
    vec2 at = disc.xy / view.z + from_centre_px;
    gl_Position = vec4(at / view.xy * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
