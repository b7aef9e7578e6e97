# SPDX-License-Identifier: GPL-2.0-only
# Headers of the module that are not for users: the module itself, its tests and the extension modules
# include them. Sets DEFIANCE_PRIVATE_FOLDERS, where they are, one folder for each group.

file(GLOB DEFIANCE_PRIVATE_FOLDERS CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/model/*/private"
     "${CMAKE_CURRENT_SOURCE_DIR}/model/*/*/private")
