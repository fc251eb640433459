in vec4 tinted;
out vec4 colour;

void main() {
    colour = tinted;
}
