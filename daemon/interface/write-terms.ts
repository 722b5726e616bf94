import { z } from '../base/schema.ts';
import { conditionSchema, verifySchema, writeTermsSchema } from '../channel/write-terms.ts';

const { onlyIf, verify } = writeTermsSchema.shape;

/** The terms of writes as records of the description, each with a name. */
export const writeTermsRecord = writeTermsSchema
  .extend({
    verify: verifySchema
      .meta({ id: 'WriteVerification' })
      .optional()
      .describe(verify.description ?? ''),
    onlyIf: conditionSchema
      .meta({ id: 'WriteCondition' })
      .array()
      .optional()
      .describe(onlyIf.description ?? ''),
    hiddenConditions: z
      .int()
      .optional()
      .describe('Conditions on channels that the caller may not read, which are not shown'),
  })
  .meta({ id: 'WriteTerms' });
