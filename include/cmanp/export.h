// What the library's shared form lets out: names marked CMANP_API, and no others. For C and C++.
#ifndef CMANP_EXPORT_H
#define CMANP_EXPORT_H

#if defined(__GNUC__)
#define CMANP_API __attribute__((visibility("default")))
#else
#define CMANP_API
#endif

#endif
