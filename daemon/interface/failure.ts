import { z } from '../base/schema.ts';
import type { Shape } from './endpoint.ts';

/** A sentence about an error by its code. */
export const faultReason = z
  .strictObject({
    code: z.string(),
    parameters: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  })
  .meta({ id: 'FaultReason' });

/** The sentences of a message. */
export const faultReasons = z
  .array(faultReason)
  .optional()
  .describe('Sentences of the message by code, with their values; absent if one has no code');

/** A message with the codes of its sentences. */
export const codedFault = z
  .strictObject({
    message: z.string(),
    reasons: faultReasons,
  })
  .meta({ id: 'CodedFault' });

/** One error in a document; in a table also its row and column. */
const documentFault = z
  .object({
    path: z.string(),
    item: z.string().optional().describe('Name of the item whose number in a list begins the path'),
    ...codedFault.shape,
    row: z.int().optional(),
    column: z.string().optional(),
  })
  .meta({ id: 'DocumentFault' });

/** Body of every response with status 400 or above. */
export const failureReport = z
  .object({
    message: z.string(),
    secondFactorNeeded: z
      .literal(true)
      .optional()
      .describe('The password is correct; the second-factor code is missing or wrong'),
    reasons: z
      .array(faultReason)
      .optional()
      .describe(
        'Only with Prefer: error-reasons: sentences of the message by code, with their values; absent if one has no code',
      ),
    faults: z.array(documentFault).optional(),
  })
  .meta({ id: 'GenericFailureReport' });

export type FaultReason = Shape<typeof faultReason>;
export type CodedFault = Shape<typeof codedFault>;
export type DocumentFault = Shape<typeof documentFault>;
export type GenericFailureReport = Shape<typeof failureReport>;
