#version 330 core
// The light: one quad around it, 1.8 radii wide to each side.
uniform vec3 view;                       // framebuffer px, picture px per framebuffer px
uniform vec4 beam;                       // x px, y px, radius px, strength
out vec2 from_centre;                    // in radii

void main() {
    from_centre = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * 1.8;
    vec2 at = (beam.xy + from_centre * beam.z) / view.z;
    gl_Position = vec4(at / view.xy * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
