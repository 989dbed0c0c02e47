// Neural processes in constant memory: everything that a program needs to observe, predict, sample and score.
#pragma once

#include <cmanp/agent.hpp>
#include <cmanp/completion.hpp>
#include <cmanp/config.hpp>
#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <cmanp/events.hpp>
#include <cmanp/model.hpp>
#include <cmanp/predictor.hpp>
