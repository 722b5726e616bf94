/** The passwords that the scenarios use; the stored state is described by their position in this list. */
export const PASSWORDS = ['a former password 1', 'another password 2'] as const;
