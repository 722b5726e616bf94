import { createIssue } from '../../daemon/base/fault-reason.ts';
import { z } from '../../daemon/base/schema.ts';
import { createPattern } from './pattern.ts';
import { PatternFault } from './pattern-program.ts';

/** Schema of a pattern; rejects one that cannot be compiled. */
export const patternSchema = z.string().superRefine((source, context) => {
  try {
    createPattern(source);
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    context.addIssue(createIssue([], error.reason));
  }
});
