# A layer is a folder of src/: its objects are compiled once, and its unit tests (tests/unit/<layer>)
# link only it and the layers above it, so that a layer cannot lean on a lower one.

define_property(GLOBAL PROPERTY WEFT_LAYERS BRIEF_DOCS "layers so far" FULL_DOCS "in order")

# weft_layer(NAME [OPTIONS OPTION...]): with options of its own for the compiler.
function(weft_layer name)
  cmake_parse_arguments(layer "" "" OPTIONS ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/src/cli/main.cpp$")
  if(NOT sources)
    return()
  endif()
  add_library(weft_${name} OBJECT ${sources})
  target_include_directories(weft_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src
                                                  ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(weft_${name} PUBLIC weft_dependencies)
  if(layer_OPTIONS)
    target_compile_options(weft_${name} PRIVATE ${layer_OPTIONS})
  endif()

  set_property(GLOBAL APPEND PROPERTY WEFT_LAYERS ${name})
endfunction()

# The objects of all layers up to and including `name`, for a test of that layer.
function(weft_objects_up_to name result)
  get_property(layers GLOBAL PROPERTY WEFT_LAYERS)
  set(objects)
  foreach(layer IN LISTS layers)
    list(APPEND objects $<TARGET_OBJECTS:weft_${layer}>)
    if(layer STREQUAL name)
      break()
    endif()
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# The library libweft, of the layers so far.
function(weft_library)
  get_property(layers GLOBAL PROPERTY WEFT_LAYERS)
  list(GET layers -1 last)
  weft_objects_up_to(${last} objects)
  add_library(weft SHARED ${objects})
  add_library(weft::weft ALIAS weft)
  set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_libraries(weft PRIVATE weft_dependencies)
  target_include_directories(weft INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_compile_features(weft INTERFACE cxx_std_20)
endfunction()

# The program weft, of all layers so far: it uses more of them than the library exports.
function(weft_program)
  get_property(layers GLOBAL PROPERTY WEFT_LAYERS)
  list(GET layers -1 last)
  weft_objects_up_to(${last} objects)
  add_executable(weft_program ${PROJECT_SOURCE_DIR}/src/cli/main.cpp ${objects})
  set_target_properties(weft_program PROPERTIES OUTPUT_NAME weft)
  target_include_directories(weft_program PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                  ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(weft_program PRIVATE weft_dependencies)
endfunction()

# weft_module(NAME [FILE...]): a loadable module libweft_<name>.so from src/<name>/ and these files, opened by the program when it is asked for. It
# may use headers of any layer, and links only weft_<name>_dependencies; without these it is left out.
function(weft_module name)
  if(NOT TARGET weft_${name}_dependencies)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(APPEND sources ${ARGN})
  add_library(weft_${name} MODULE ${sources})
  target_include_directories(weft_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                  ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(weft_${name} PRIVATE weft_${name}_dependencies)
  set_target_properties(weft_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  add_dependencies(weft weft_${name})
  if(TARGET weft_program)
    add_dependencies(weft_program weft_${name})
  endif()
endfunction()
