#version 330 core
// One quad a row of glyphs; rotation and scale are done here, so that Python never loops over bugs.
layout(location = 0) in vec4 place;      // x px, y px, angle rad, size px
layout(location = 1) in float alpha;
uniform vec3 view;                       // framebuffer px, picture px per framebuffer px
uniform vec4 anchor;                     // u, v, one em in texture units, reach of the ink in em
uniform float samples;                   // per pixel and axis
uniform float em_texels;
out vec2 uv;
flat out vec2 uv_right;                  // change of uv per pixel to the right (down: the same, turned)
flat out float level;
flat out float bug_alpha;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    float size = max(place.w / view.z, 0.001);
    float c = cos(place.z), s = sin(place.z);
    vec2 local = corner * (anchor.w * size + 1.0);
    vec2 at = place.xy / view.z + mat2(c, s, -s, c) * local;
    float uv_per_px = anchor.z / size;
    uv = anchor.xy + local * uv_per_px;
    uv_right = vec2(c, -s) * uv_per_px;
    level = max(log2(em_texels / (size * samples)), 0.0);
    bug_alpha = alpha;
    gl_Position = vec4(at / view.xy * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
