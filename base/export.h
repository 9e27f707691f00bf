// Marks what the shared library exports; everything else is hidden.
#pragma once

#define DSI_EXPORT [[gnu::visibility("default")]]
