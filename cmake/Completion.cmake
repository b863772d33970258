# perftab_completions(PROGRAM...): completions/bash/PROGRAM and completions/zsh/_PROGRAM, made from
# the --help of the programs at build, and installed.
#
# A build for another machine cannot run them, and installs those of PERFTAB_COMPLETIONS, a folder
# that another build made, or none.
set(PERFTAB_COMPLETIONS "" CACHE PATH "folder of completions that another build made")
set(PERFTAB_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
    "where completions for zsh are installed")

function(perftab_completions)
	set(folder ${PROJECT_BINARY_DIR}/completions)
	find_program(PERFTAB_BASH bash)
	if(CMAKE_CROSSCOMPILING)
		set(folder "${PERFTAB_COMPLETIONS}")
	elseif(PERFTAB_BASH)
		set(scripts completion.sh completion.awk completion_bash.awk completion_zsh.awk)
		list(TRANSFORM scripts PREPEND ${PROJECT_SOURCE_DIR}/cmake/)
		foreach(program ${ARGN})
			add_custom_command(
				OUTPUT ${folder}/bash/${program} ${folder}/zsh/_${program}
				COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/bash ${folder}/zsh
				COMMAND ${PERFTAB_BASH} ${PROJECT_SOURCE_DIR}/cmake/completion.sh
				        $<TARGET_FILE:${program}> bash > ${folder}/bash/${program}
				COMMAND ${PERFTAB_BASH} ${PROJECT_SOURCE_DIR}/cmake/completion.sh
				        $<TARGET_FILE:${program}> zsh > ${folder}/zsh/_${program}
				DEPENDS ${program} ${scripts}
				COMMENT "completion of ${program}"
				VERBATIM)
			list(APPEND made ${folder}/bash/${program})
		endforeach()
		add_custom_target(completions ALL DEPENDS ${made})
	else()
		set(folder)
	endif()
	if(folder)
		install(DIRECTORY ${folder}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
		install(DIRECTORY ${folder}/zsh/ DESTINATION ${PERFTAB_ZSH_FOLDER})
	endif()
endfunction()
