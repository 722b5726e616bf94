/** The passwords that the scenarios use; what is kept is described by their place in this list. */
export const PASSWORDS = ['a former password 1', 'another password 2'] as const;
