# Packs what cpack has staged: names in order, the time of SOURCE_DATE_EPOCH, owner root. gzip -n writes no time of its own.
#
# SPDX-License-Identifier: MIT
get_filename_component(above ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY)
get_filename_component(folder ${CPACK_TEMPORARY_DIRECTORY} NAME)
set(CPACK_EXTERNAL_BUILT_PACKAGES ${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME}.tar.gz)
execute_process(COMMAND ${CPACK_WEDGE_TAR} --create --sort=name --format=gnu --mtime=@$ENV{SOURCE_DATE_EPOCH}
    --owner=root:0 --group=root:0 --mode=go=rX,u+rw,a-s --use-compress-program=gzip\ -9n
    --file=${CPACK_EXTERNAL_BUILT_PACKAGES} --directory=${above} ${folder}
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${CPACK_WEDGE_TAR} cannot write ${CPACK_EXTERNAL_BUILT_PACKAGES}: ${failed}")
endif()
