import { identity } from './identity/identity.ts';
import { session } from './identity/session.ts';
import { token } from './identity/token.ts';
import { certificate } from './certificate/certificate.ts';
import { audit } from './audit/audit.ts';
import type { Verb } from './verb.ts';

/** The verbs about who may do what, by name. */
export const ACCESS_VERBS: Readonly<Record<string, Verb>> = {
  identity,
  session,
  token,
  certificate,
  audit,
};
