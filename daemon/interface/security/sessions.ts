import { z } from '../../base/schema.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const PATH = '/services/session/v1/sessions';

const timeMs = z.int().describe('Milliseconds since the epoch');
const openSession = z
  .strictObject({
    id: z.string().describe('Identifier for ending the session; not the cookie value'),
    identity: z.string(),
    method: z.enum(['password', 'certificate']),
    address: z.string().describe('Client address of the login; `local` for the local socket'),
    port: z.int().optional().describe('Port of the login; absent for the local socket'),
    createdAt: timeMs,
    lastUsedAt: timeMs,
    expiresAt: timeMs.describe('Expiry if the session is not used, in milliseconds since the epoch'),
    isLocked: z
      .boolean()
      .describe('True if the session only serves a required action, such as changing the password'),
    isCurrent: z.boolean().describe('True for the session of the request'),
  })
  .meta({ id: 'OpenSession' });
const openSessions = z.strictObject({ sessions: z.array(openSession) }).meta({ id: 'OpenSessions' });
const endedSessions = z.strictObject({ ended: z.int() }).meta({ id: 'EndedSessions' });

/** Lists open sessions. */
export const listSessions = endpoint({
  method: 'GET',
  path: PATH,
  summary: 'Lists all open sessions with the permission for identities, otherwise those of the caller',
  access: 'ANY_IDENTITY',
  isStatus: true,
  response: { status: 200, schema: openSessions },
});

/** Ends the sessions of an identity. */
export const endSessionsOf = endpoint({
  method: 'DELETE',
  path: PATH,
  summary: 'Ends all sessions of an identity',
  access: 'ANY_IDENTITY',
  query: z.object({
    identity: z.string().min(1).max(255).describe('Identity whose sessions end'),
  }),
  audit: 'SESSION_ENDED',
  response: { status: 200, schema: endedSessions },
});

/** Ends a session by its id. */
export const endSession = endpoint({
  method: 'DELETE',
  path: `${PATH}/:id`,
  summary: 'Ends one session',
  access: 'ANY_IDENTITY',
  audit: 'SESSION_ENDED',
  response: { status: 204 },
});

export type OpenSession = Shape<typeof openSession>;
