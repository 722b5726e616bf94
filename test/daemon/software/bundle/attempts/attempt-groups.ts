import type { AttemptGroup } from '../../../../support/attempts/attempt.ts';
import { ENDINGS } from './endings.ts';
import { ENGINE } from './engine.ts';
import { EXISTENCE } from './existence.ts';
import { HANDLES } from './handles.ts';
import { LIMITS } from './limits.ts';
import { LOADING } from './loading.ts';
import { NAMES } from './names.ts';
import { NETWORK } from './network.ts';
import { PROCESSES } from './processes.ts';
import { READING } from './reading.ts';
import { SIGNALS } from './signals.ts';
import { TAMPERING } from './tampering.ts';
import { WRITING } from './writing.ts';

/** All attempts, by what they are after. */
export const ATTEMPT_GROUPS: readonly AttemptGroup[] = [
  { category: 'reading', attempts: READING },
  { category: 'writing', attempts: WRITING },
  { category: 'existence', attempts: EXISTENCE },
  { category: 'loading', attempts: LOADING },
  { category: 'signals', attempts: SIGNALS },
  { category: 'network', attempts: NETWORK },
  { category: 'names', attempts: NAMES },
  { category: 'processes', attempts: PROCESSES },
  { category: 'handles', attempts: HANDLES },
  { category: 'engine', attempts: ENGINE },
  { category: 'tampering', attempts: TAMPERING },
  { category: 'limits', attempts: LIMITS },
  { category: 'endings', attempts: ENDINGS },
];
