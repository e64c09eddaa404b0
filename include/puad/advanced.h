/* Includes all headers of puad: the simple interface of puad.h and the specialized ones. */
#ifndef PUAD_ADVANCED_H
#define PUAD_ADVANCED_H

#include <puad/audit.h>
#include <puad/calibration.h>
#include <puad/dataset.h>
#include <puad/decision.h>
#include <puad/detector.h>
#include <puad/explain.h>
#include <puad/export.h>
#include <puad/groups.h>
#include <puad/history.h>
#include <puad/metrics.h>
#include <puad/objective.h>
#include <puad/options.h>
#include <puad/prior.h>
#include <puad/profile.h>
#include <puad/puad.h>
#include <puad/query.h>
#include <puad/series.h>
#include <puad/stream.h>

#endif
