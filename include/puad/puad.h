/* puad: anomaly detection for contaminated data, by positive-unlabeled learning. This header includes all the
 * others. */
#ifndef PUAD_PUAD_H
#define PUAD_PUAD_H

#include <puad/audit.h>
#include <puad/calibration.h>
#include <puad/dataset.h>
#include <puad/decision.h>
#include <puad/detector.h>
#include <puad/explain.h>
#include <puad/export.h>
#include <puad/groups.h>
#include <puad/history.h>
#include <puad/label.h>
#include <puad/metrics.h>
#include <puad/objective.h>
#include <puad/options.h>
#include <puad/prior.h>
#include <puad/profile.h>
#include <puad/query.h>
#include <puad/ranking.h>
#include <puad/series.h>
#include <puad/status.h>
#include <puad/stream.h>
#include <puad/version.h>

#endif
