module go_fingers

go 1.24
