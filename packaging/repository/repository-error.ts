/** A repository cannot be made of what was given. */
export class RepositoryError extends Error {}
