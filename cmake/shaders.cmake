# Shaders as C: cmake -D FOLDER=… -D KERNEL=… -D OUTPUT=… -P shaders.cmake makes an array of lines, ended by NULL, of every
# .glsl in the folder and of a header that C and shaders share. -D BRIEF=ON leaves comments and indentation out, for
# web pages.
file(GLOB files ${FOLDER}/*.glsl)
set(text "#include \"render/gl/shaders.h\"\n")
foreach(file IN LISTS files KERNEL)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  if(BRIEF)
    string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" content "${content}")
    string(REGEX REPLACE "\n[ \n]+" "\n" content "${content}")
  endif()
  string(REPLACE "\\" "\\\\" content "${content}")
  string(REPLACE "\"" "\\\"" content "${content}")
  string(REPLACE "\n" "\\n\",\n    \"" content "${content}")
  string(APPEND text "\nconst char *const rn_shader_${name}[] = {\n    \"${content}\",\n    (const char *)0,\n};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
