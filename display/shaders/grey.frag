#version 330 core
in vec2 texel;
uniform sampler2D image;
out vec4 result;

void main() {
    result = vec4(texelFetch(image, ivec2(texel), 0).rrr, 1.0);
}
