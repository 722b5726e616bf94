import { z } from '../base/schema.ts';
import type { Shape } from './endpoint.ts';

/** One error of a document, and in a table its place. */
const documentFault = z
  .object({
    path: z.string(),
    message: z.string(),
    row: z.int().optional(),
    column: z.string().optional(),
  })
  .meta({ id: 'DocumentFault' });

/** The body of every answer with a status from 400 on. */
export const failureReport = z
  .object({
    message: z.string(),
    secondFactorNeeded: z
      .literal(true)
      .optional()
      .describe('The password is right; a code of the second factor is missing or wrong'),
    faults: z.array(documentFault).optional(),
  })
  .meta({ id: 'GenericFailureReport' });

export type DocumentFault = Shape<typeof documentFault>;
export type GenericFailureReport = Shape<typeof failureReport>;
