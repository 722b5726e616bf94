import { z } from '../../base/schema.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const PATH = '/services/session/v1/sessions';

const timeMs = z.int().describe('Milliseconds since the epoch');
const openSession = z
  .strictObject({
    id: z.string().describe('Names the session for its end; the cookie is something else'),
    identity: z.string(),
    method: z.enum(['password', 'certificate']),
    address: z.string().describe('From which the login came; `local` for the socket on the machine itself'),
    port: z.int().optional().describe('To which the login came; absent for that socket'),
    createdAt: timeMs,
    lastUsedAt: timeMs,
    expiresAt: timeMs.describe('When it ends unless it is used again, in milliseconds since the epoch'),
    isLocked: z
      .boolean()
      .describe('It can only be used to do first what its identity has to, such as changing the password'),
    isCurrent: z.boolean().describe('It is that of the request'),
  })
  .meta({ id: 'OpenSession' });
const openSessions = z.strictObject({ sessions: z.array(openSession) }).meta({ id: 'OpenSessions' });
const endedSessions = z.strictObject({ ended: z.int() }).meta({ id: 'EndedSessions' });

/** Lists open sessions. */
export const listSessions = endpoint({
  method: 'GET',
  path: PATH,
  summary: 'Lists the open sessions: all of them with the permission for identities, else the own ones',
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
  query: z.object({ identity: z.string().min(1).max(255) }),
  audit: 'SESSION_ENDED',
  response: { status: 200, schema: endedSessions },
});

/** Ends a session, which its id names. */
export const endSession = endpoint({
  method: 'DELETE',
  path: `${PATH}/:id`,
  summary: 'Ends one session',
  access: 'ANY_IDENTITY',
  audit: 'SESSION_ENDED',
  response: { status: 204 },
});

export type OpenSession = Shape<typeof openSession>;
