package referee.client;

/** A file format of tournaments. */
public enum ExportFormat {
    /** The standings as comma-separated values with a header. */
    CSV,
    /** The whole tournament as a JSON object. */
    JSON,
    /** FIDE's tournament report file. */
    TRF
}
