/** Turns passwords into hashes and compares them, away from the main thread. */
export interface PasswordHasher {
  /**
   * Makes a PHC string with a new salt. The password is used exactly as it is.
   *
   * @throws {InvalidRequest} `PASSWORD_NOT_USABLE` when it is empty, longer than 1024 characters, or no Unicode text
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL`, `PASSWORD_HASHING_FAILED`, `PASSWORD_HASHING_STOPPED`
   */
  hash(password: string): Promise<string>;
  /**
   * Whether the password belongs to the hash. Costs one hash in every case: also when there is no hash, when it
   * cannot be read, and when the password could never have been one.
   *
   * @throws {Unavailable} as `hash` does
   */
  verify(password: string, passwordHash: string | undefined): Promise<boolean>;
  /** Whether the hash was made with other parameters than those in force. */
  needsRehash(passwordHash: string): boolean;
  /** Ends the threads; what still waits is rejected. */
  stop(): Promise<void>;
}
