/* The texts of src/render/shaders, line by line and ended by NULL; cmake/shaders.cmake writes them. */
#ifndef RN_RENDER_SHADERS_H
#define RN_RENDER_SHADERS_H

#define RN_SHADERS(X)                                                                                                  \
    X(light)                                                                                                           \
    X(material)                                                                                                        \
    X(meniscus)                                                                                                        \
    X(shadow_vertex)                                                                                                   \
    X(shadow_fragment)                                                                                                 \
    X(backdrop_fragment)                                                                                               \
    X(floor_vertex)                                                                                                    \
    X(floor_fragment)                                                                                                  \
    X(floor_light_fragment)                                                                                            \
    X(ground_vertex)                                                                                                   \
    X(ground_fragment)                                                                                                 \
    X(contents)                                                                                                        \
    X(glass_vertex)                                                                                                    \
    X(glass_fragment)                                                                                                  \
    X(lamp_vertex)                                                                                                     \
    X(lamp_fragment)                                                                                                   \
    X(cast_vertex)                                                                                                     \
    X(cast_fragment)                                                                                                   \
    X(liquid_vertex)                                                                                                   \
    X(liquid_fragment)                                                                                                 \
    X(overlay_fragment)                                                                                                \
    X(draft_vertex)                                                                                                    \
    X(plain_vertex)                                                                                                    \
    X(plain_fragment)                                                                                                  \
    X(finish_vertex)                                                                                                   \
    X(finish_fragment)

#define RN_SHADER_TEXT(name) extern const char *const rn_shader_##name[];
RN_SHADERS(RN_SHADER_TEXT)
#undef RN_SHADER_TEXT

#endif
