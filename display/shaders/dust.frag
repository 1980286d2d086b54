#version 330 core
// The part of the pixel that the disc covers, from a 4x4 grid with soft steps of a quarter pixel.
in vec2 from_centre_px;
flat in float radius_px;
flat in float disc_alpha;
uniform vec3 colour;
out vec4 result;

void main() {
    float covered = 0.0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) {
            vec2 p = from_centre_px + (vec2(i, j) + 0.5) / 4.0 - 0.5;
            covered += clamp((radius_px - length(p)) * 4.0 + 0.5, 0.0, 1.0);
        }
    }
    // An 8-bit canvas keeps whole steps of alpha and cuts the rest off, which makes thin discs fainter.
    float a = floor(covered / 16.0 * floor(disc_alpha * 255.0 + 0.5)) / 255.0;
    result = vec4(colour * a, a);
}
