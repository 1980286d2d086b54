#version 330 core
// The whole picture as the wall needs it: moved by its four corners, dimmed.
uniform sampler2D picture;
uniform mat3 to_picture;                 // framebuffer px (y down) to px of the picture (y down)
uniform vec2 view;                       // framebuffer px
uniform float brightness;
out vec4 result;

void main() {
    vec3 at = to_picture * vec3(gl_FragCoord.x, view.y - gl_FragCoord.y, 1.0);
    vec2 uv = at.xy / at.z / view;
    bool outside = at.z <= 0.0 || any(lessThan(uv, vec2(0.0))) || any(greaterThan(uv, vec2(1.0)));
    vec3 colour = outside ? vec3(0.0) : texture(picture, vec2(uv.x, 1.0 - uv.y)).rgb;
    result = vec4(colour * brightness, 1.0);
}
