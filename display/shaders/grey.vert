#version 330 core
// An image of one grey level a pixel, at whole px of the framebuffer: one texel, one pixel.
uniform vec4 place;                      // x px, y px (down), width px, height px
uniform vec2 view;                       // framebuffer px
out vec2 texel;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    texel = corner * place.zw;
    gl_Position = vec4((place.xy + texel) / view * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
