# The command and the lab that it measures with; the tests need both.

# ---- The lab ----
wedge_embed(text_cells bench/device/cells.h)
wedge_embed(text_dummy bench/device/dummy.h)
wedge_embed(text_edm bench/device/edm.h)
wedge_embed(text_collide bench/device/collide.h)
wedge_embed(text_lab_cover bench/device/cover.h)
wedge_embed(text_checks bench/device/checks.h)
set(peak_sources)
foreach(level ${isa_levels})
  set(unit ${PROJECT_BINARY_DIR}/embedded/peaks_${level}.c)
  set(peak_options -fno-sanitize=all) # a ceiling no more if checked
  if(NOT level STREQUAL base)
    list(APPEND peak_options -march=x86-64-${level})
  endif()
  set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS "${peak_options}")
  file(GENERATE OUTPUT ${unit} CONTENT "#define ISA ${level}\n#include \"bench/peaks.c\"\n")
  list(APPEND peak_sources ${unit})
endforeach()
find_library(JANSSON jansson)
find_path(JANSSON_INCLUDE jansson.h)
add_library(lab_objects OBJECT
  bench/sizes.c bench/experiments.c bench/native.c bench/verify.c bench/measure.c bench/ceilings.c bench/engine.c bench/sinks.c
  bench/verify_sinks.c bench/tasks.c bench/verify_tasks.c bench/verify_bodies.c bench/truth.c bench/lab.c
  bench/stats.c bench/load.c bench/result.c bench/result_io.c bench/result_read.c bench/doubts.c bench/table.c bench/table_columns.c
  bench/compare.c
  ${peak_sources} bench/chart.c bench/chart_labels.c bench/markup.c bench/report.c bench/report_summary.c bench/report_parts.c
  bench/report_figures.c bench/report_tasks.c bench/report_tables.c bench/report_svg.c
  ${text_cells_source} ${text_dummy_source} ${text_edm_source} ${text_collide_source} ${text_lab_cover_source}
  ${text_checks_source})
target_link_libraries(lab_objects PUBLIC m)
if(JANSSON AND JANSSON_INCLUDE)
  target_compile_definitions(lab_objects PRIVATE WEDGE_HAVE_JANSSON=1)
  target_include_directories(lab_objects PRIVATE ${JANSSON_INCLUDE})
  target_link_libraries(lab_objects PUBLIC ${JANSSON})
else()
  message(STATUS "jansson is missing: wedge will not read saved results (bench compare, report)")
endif()

# ---- The command ----
add_custom_target(commit_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${PROJECT_BINARY_DIR}/embedded/commit.h
          -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/embedded/commit.h)
add_executable(wedge_command
  cli/main.c cli/options.c cli/help.c cli/progress.c cli/stop.c cli/input.c cli/metric.c cli/output.c cli/devices.c cli/certify.c cli/tune.c cli/map.c cli/map_list.c cli/map_draw.c cli/map_svg.c cli/map_pen.c cli/map_grid.c
  cli/bench.c cli/bench_bar.c cli/bench_end.c cli/report.c cli/request.c cli/sets.c cli/work.c cli/box.c cli/files.c cli/lines.c cli/kept.c cli/pairlist.c cli/within.c cli/knn.c cli/histogram.c cli/summary.c cli/collide.c cli/nbody.c cli/nbody_run.c cli/own.c cli/run.c cli/triplets.c cli/triplets_run.c cli/triplets_check.c cli/ledger.c cli/edm.c cli/edm_run.c)
add_dependencies(wedge_command commit_header)
target_link_libraries(wedge_command PRIVATE wedge_objects lab_objects)
target_compile_definitions(wedge_command PRIVATE
  WEDGE_FLAGS="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_C_FLAGS_RELEASE} -ffp-contract=off")
set_target_properties(wedge_command PROPERTIES OUTPUT_NAME wedge)
