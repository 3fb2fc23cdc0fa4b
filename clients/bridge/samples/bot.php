<?php
// A bot in PHP: plays any of its legal moves. Run it with `referee match "php bot.php" random`.

function choose(array $turn): string
{
    return $turn['legal_moves'][array_rand($turn['legal_moves'])]; // Your strategy goes here.
}

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true);
    if ($message['type'] === 'turn') {
        echo json_encode(['id' => $message['id'], 'move' => choose($message)]), "\n";
        flush();
    }
}
