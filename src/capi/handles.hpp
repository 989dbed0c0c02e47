// What stands behind the opaque handles of the C API.
#pragma once

#include <cmanp/cmanp.h>

#include <cmanp/agent.hpp>
#include <cmanp/context.hpp>
#include <cmanp/events.hpp>
#include <cmanp/model.hpp>
#include <vector>

struct cmanp_bytes {
  std::vector<std::byte> bytes;
};

struct cmanp_model {
  cmanp::Model model;
};

struct cmanp_context {
  cmanp::Context context;
};

struct cmanp_agent {
  cmanp::Agent agent;
};

struct cmanp_event_model {
  cmanp::EventModel model;
};

struct cmanp_event_stream {
  cmanp::EventStream stream;
};

struct cmanp_event_forecast {
  cmanp::EventForecast forecast;
};
