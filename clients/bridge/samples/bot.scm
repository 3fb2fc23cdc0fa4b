;; A bot in Scheme: plays any of its legal moves. Run it with `referee match "guile bot.scm" random`.
(use-modules (ice-9 rdelim) (ice-9 regex))

(define legal-moves (make-regexp "\"legal_moves\":\\[([^]]*)\\]"))

(define (moves-of line)
  (let ((listed (match:substring (regexp-exec legal-moves line) 1)))
    (map (lambda (found) (match:substring found 1))
         (list-matches "\"([^\"]*)\"" listed))))

(define (choose moves) ; Your strategy goes here.
  (list-ref moves (random (length moves) state)))

(define state (random-state-from-platform))

(let play ((line (read-line)))
  (unless (eof-object? line)
    (when (string-prefix? "{\"type\":\"turn\"," line)
      (display (choose (moves-of line)))
      (newline)
      (force-output))
    (play (read-line))))
