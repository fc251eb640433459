/* What the liquid does to the light of the lamp. Colours: the share that falling liquid lets through; alpha: a quarter of
   the light that lying liquid focuses here, which is 1 if its surface is level. Falling liquid in the shade of solid does nothing. */
in vec3 at;
in vec3 facing;
in float opaque;
in float fallen;
in vec2 level;
uniform sampler2D layers;
out vec4 colour;

void main() {
#ifdef FOCUS
    vec2 x = dFdx(level), y = dFdy(level); /* area of light per texel (Jacobian of the refracted positions) */
    colour = vec4(1.0, 1.0, 1.0, min(0.25 * abs(x.x * y.y - x.y * y.x), 1.0));
#else
    vec3 s = (to_shadow * vec4(at + vec3(0.0, 0.0, shadow_lift), 1.0)).xyz;
    float lit = near(s - vec3(0.0, 0.0, 0.0008));
    float jet = step(fallen, -0.5), straight = abs(dot(normalize(facing), key));
    float path = opaque * mix(1.0 / max(straight, 0.25), max(straight, 0.15), jet); /* the chord through a round jet */
    vec3 both = texture(layers, vec2(layer_at(path), 0.75)).rgb;
    vec3 once = sqrt(max(both, 0.0)); /* the table is for light that passes the layer twice */
    vec3 tint = mix(once, sqrt(once), jet); /* a jet has a front and a back */
    tint = mix(tint, vec3(0.8), jet * clamp(-1.0 - fallen, 0.0, 1.0)); /* white jets have no colour */
    colour = vec4(mix(vec3(1.0), tint, lit), 0.0);
#endif
}
