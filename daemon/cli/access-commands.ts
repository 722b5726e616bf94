import { identity } from './identity/identity.ts';
import { session } from './identity/session.ts';
import { token } from './identity/token.ts';
import { certificate } from './certificate/certificate.ts';
import { audit } from './audit/audit.ts';
import type { CommandGroup } from './command-group.ts';

/** Command groups for identities, credentials and the audit log, by name. */
export const ACCESS_COMMANDS: Readonly<Record<string, CommandGroup>> = {
  identity,
  session,
  token,
  certificate,
  audit,
};
