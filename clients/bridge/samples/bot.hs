-- A bot in Haskell: plays one of its legal moves. Compile it with `ghc bot.hs`, and run it with
-- `referee match ./bot random`.
module Main (main) where

import Data.List (isPrefixOf)
import System.IO (BufferMode (LineBuffering), hSetBuffering, hSetEncoding, stdin, stdout, utf8)

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  mapM_ (`hSetEncoding` utf8) [stdin, stdout]
  interact (unlines . map choose . filter ("{\"type\":\"turn\"," `isPrefixOf`) . lines)

-- Your strategy goes here: this one takes the move in the middle of the list.
choose :: String -> String
choose line = moves !! (length moves `div` 2)
  where
    moves = texts (after "\"legal_moves\":[" line)

after :: String -> String -> String
after mark text
  | null text || mark `isPrefixOf` text = drop (length mark) text
  | otherwise = after mark (drop 1 text)

-- The texts of a list up to its end.
texts :: String -> [String]
texts ('"' : rest) = let (text, others) = break (== '"') rest in text : texts (drop 1 others)
texts (',' : rest) = texts rest
texts _ = []
