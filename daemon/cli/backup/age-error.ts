import { CommandError } from '../command-error.ts';

/**
 * An encrypted file cannot be decrypted: `AGE_HEADER` it is none, or its header is damaged; `AGE_PASSPHRASE` the passphrase
 * opens nothing; `AGE_TAMPERED` its header was changed; `AGE_PAYLOAD` its content is damaged or cut off.
 */
export class AgeError extends CommandError {}
