/* What every engine of rigid bodies checks before it makes a joint. */
#ifndef RN_ADAPTERS_JOINT_H
#define RN_ADAPTERS_JOINT_H

#include <runnel/rigid.h>

/* Returns RN_INVALID, with a message, if the axis, the position or the limits of a joint are invalid, or it connects a
   body to itself. Whether the bodies are in the engine is checked by the caller. */
rn_result rn_joint_check(const rn_joint_def *def);

#endif
