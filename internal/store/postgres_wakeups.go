package store

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	wakeupChannel = "parley"
	// tellEvery is the least time between two notifications. They are not part of the transactions that cause
	// them, because PostgreSQL serializes the commits of transactions that notify.
	tellEvery = 5 * time.Millisecond
	// listenAgain is the wait before a lost connection is replaced.
	listenAgain = time.Second
)

// teller sends notifications in the background, many at once.
type teller struct {
	mu      sync.Mutex
	topics  map[Topic]bool // not sent yet
	telling bool
	done    sync.WaitGroup
}

func (e *postgresEngine) tell(topic Topic) {
	t := &e.teller
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.topics == nil {
		t.topics = map[Topic]bool{}
	}
	t.topics[topic] = true
	if !t.telling {
		t.telling = true
		t.done.Go(e.tellAll)
	}
}

// tellAll sends until no topics are left. A lost notification does no harm, because the sweeps find the work.
func (e *postgresEngine) tellAll() {
	for {
		topics := e.teller.take()
		if len(topics) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), acquireTimeout)
		err := e.query(ctx, "SELECT pg_notify($1, topic) FROM unnest($2::text[]) topic", []any{wakeupChannel, topics}, func(scanner) error { return nil })
		cancel()
		e.telling.Report(err)
		time.Sleep(tellEvery)
	}
}

// take returns the topics to send; none ends the sending.
func (t *teller) take() (topics []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for topic := range t.topics {
		topics = append(topics, string(topic))
	}
	clear(t.topics)
	t.telling = len(topics) > 0
	return topics
}

func (e *postgresEngine) listen(ctx context.Context, wake func(Topic)) {
	if e.pooled && e.direct == nil {
		e.log.Warn("behind a pooler this node cannot hear of others' work: it looks every second. Give PostgreSQL's own address with --database-direct-url to have it told")
		<-ctx.Done()
		return
	}
	for ctx.Err() == nil {
		err := e.listenOnce(ctx, wake)
		if ctx.Err() != nil {
			return
		}
		e.listening.Report(err)
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}

// listenOnce listens on a connection of its own, outside of the pool, until it breaks.
func (e *postgresEngine) listenOnce(ctx context.Context, wake func(Topic)) error {
	conn, err := e.connectListener(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+wakeupChannel); err != nil {
		return err
	}
	e.listening.Report(nil)
	wake(TopicAny)
	for {
		told, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		wake(Topic(told.Payload))
	}
}

func (e *postgresEngine) connectListener(ctx context.Context) (*pgx.Conn, error) {
	if e.direct == nil {
		return pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	}
	conn, err := pgx.ConnectConfig(ctx, e.direct)
	if err != nil {
		return nil, err
	}
	if err := e.requireDirect(ctx, conn); err != nil {
		conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return conn, nil
}
