import type { Rule } from '../rule.ts';
import { BIRTH_RULES } from './birth-rules.ts';
import { CONNECTION_RULES } from './connection-rules.ts';
import { END_RULES } from './end-rules.ts';
import { HOST_RULES } from './host-rules.ts';
import { MESSAGE_RULES } from './message-rules.ts';
import { TOPIC_RULES } from './topic-rules.ts';
import { VALUE_RULES } from './value-rules.ts';

/** All rules that recorded sessions are judged by. */
export const RULES: readonly Rule[] = [
  ...TOPIC_RULES,
  ...CONNECTION_RULES,
  ...BIRTH_RULES,
  ...MESSAGE_RULES,
  ...VALUE_RULES,
  ...HOST_RULES,
  ...END_RULES,
];
