const STATUS = /\bBad[A-Z][A-Za-z]+\b/;

/**
 * Finds the StatusCode of a server in the text of an error of the library, which passes on nothing else of some refusals.
 *
 * @returns its name, as `BadIdentityTokenRejected`; undefined when there is none
 */
export function findStatusInText(error: unknown): string | undefined {
  return error instanceof Error ? STATUS.exec(error.message)?.[0] : undefined;
}

/**
 * Describes an error of the library for clients: its own texts name parts of the library, settings that a driver does not
 * have, and at times whole requests. The log has them as the cause.
 *
 * @param service what was asked for, as `CreateSession`
 */
export function describeLibraryFault(error: unknown, service: string): string {
  const text = error instanceof Error ? error.message : '';
  const status = findStatusInText(error);
  if (status !== undefined) return status;
  if (/timed out|time-?out/i.test(text)) return `the server did not answer ${service}`;
  return `the answer of the server to ${service} cannot be used`;
}
