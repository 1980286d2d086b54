#version 330 core
// Coverage of the glyph: an even grid of samples in the pixel, then the tone curve of light text.
in vec2 uv;
flat in vec2 uv_right;
flat in float level;
flat in float bug_alpha;
uniform sampler2D coverage;
uniform float samples;
uniform vec3 colour;
out vec4 result;

const float TONE = 0.85;

void main() {
    vec2 uv_down = vec2(-uv_right.y, uv_right.x);
    int n = int(samples);
    float sum = 0.0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            vec2 offset = (vec2(i, j) + 0.5) / samples - 0.5;
            sum += textureLod(coverage, uv + offset.x * uv_right + offset.y * uv_down, level).r;
        }
    }
    float a = pow(sum / (samples * samples), TONE) * bug_alpha;
    result = vec4(colour * a, a);
}
