/* puad: deep anomaly detection for data that nobody has cleaned. This header includes all the others. */
#ifndef PUAD_PUAD_H
#define PUAD_PUAD_H

#include <puad/dataset.h>
#include <puad/detector.h>
#include <puad/label.h>
#include <puad/objective.h>
#include <puad/status.h>
#include <puad/version.h>

#endif
