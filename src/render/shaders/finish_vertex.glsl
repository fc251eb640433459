in vec2 position;
out vec2 square;

void main() {
    square = position;
    gl_Position = vec4(position, 1.0, 1.0); /* behind everything */
}
