. support/lib.sh
programs hooks
