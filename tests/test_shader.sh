#!/bin/bash
# The maths that shaders share with C is GLSL too, for GL 3.3 and GLES 3; needs glslangValidator.
set -e
command -v glslangValidator >/dev/null || exit 77
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
for version in "330 core" "300 es"; do
    {
        printf '#version %s\nprecision highp float;\n#define RN_SHADER\n' "$version"
        cat "$here/src/kernels/meniscus.h"
        cat <<'END'
in vec3 normal, view;
in vec2 direction, bend;
out vec4 colour;
void main() {
    rn_normal n = rn_normal_of(normal.x, normal.y, normal.z), v = rn_normal_of(view.x, view.y, view.z);
    rn_normal t = rn_meniscus_shade(n, direction.x, direction.y, bend.x, bend.y, v);
    colour = vec4(t.x, t.y, t.z, 1.0);
}
END
    } >"$folder/test.frag"
    glslangValidator "$folder/test.frag"
done
