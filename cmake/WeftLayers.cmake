# A layer is a folder of src/: its objects are compiled once, and its unit tests (tests/unit/<layer>)
# link only it and the layers above it, so that a layer cannot lean on a lower one.

define_property(GLOBAL PROPERTY WEFT_LAYERS BRIEF_DOCS "layers so far" FULL_DOCS "in order")

function(weft_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/src/app/main.cpp$")
  if(NOT sources)
    return()
  endif()
  add_library(weft_${name} OBJECT ${sources})
  target_include_directories(weft_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(weft_${name} PUBLIC weft_dependencies)

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

# The library libweft and the program weft.
function(weft_product)
  get_property(layers GLOBAL PROPERTY WEFT_LAYERS)
  set(objects)
  foreach(layer IN LISTS layers)
    list(APPEND objects $<TARGET_OBJECTS:weft_${layer}>)
  endforeach()
  add_library(weft SHARED ${objects})
  set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_libraries(weft PRIVATE weft_dependencies)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/app/main.cpp)
    add_executable(weft_program ${CMAKE_SOURCE_DIR}/src/app/main.cpp)
    set_target_properties(weft_program PROPERTIES OUTPUT_NAME weft)
    target_include_directories(weft_program PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(weft_program PRIVATE weft)
  endif()
endfunction()
